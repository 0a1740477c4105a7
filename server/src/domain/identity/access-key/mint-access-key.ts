import { randomBytes } from 'node:crypto'
import { newId } from '../../new-id.ts'

const prefix = 'cms_'

/** A new pair. The secret has a prefix that scanners know, and nothing that a shell or `:` minds. */
export const mintAccessKey = (): { accessKey: string; secret: string } => ({
  accessKey: newId(),
  secret: prefix + randomBytes(32).toString('base64url'),
})

/** Binds the encrypted secret to its own row, owner and project. */
export const accessKeyContext = (accessKey: string, userId: string, projectId: string): string =>
  ['credentials', accessKey, userId, projectId].join('/')
