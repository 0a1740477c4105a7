import { randomBytes } from 'node:crypto'
import { newId } from '../../new-id.ts'

const prefix = 'cms_'

/** A new key. Secret scanners know the prefix; the characters are safe in shells and beside `:`. */
export const mintAccessKey = (): { accessKey: string; secret: string } => ({
  accessKey: newId(),
  secret: prefix + randomBytes(32).toString('base64url'),
})

/** Binds the encrypted secret to its own row, owner and project. */
export const accessKeyContext = (accessKey: string, userId: string, projectId: string): string =>
  ['credentials', accessKey, userId, projectId].join('/')
