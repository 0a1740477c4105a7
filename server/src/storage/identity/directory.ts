import type { Directory } from '../../domain/identity/ports.ts'
import type { DatabaseReader } from '../database.ts'
import { createFindCredentials } from './find-credentials.ts'
import { createLoadUserStatus } from './load-user-status.ts'

export const createDirectory = (database: DatabaseReader): Directory => ({
  findCredentials: createFindCredentials(database),
  loadUserStatus: createLoadUserStatus(database),
})
