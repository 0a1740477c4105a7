import type { Directory } from '../../domain/identity/ports.ts'
import type { Database } from '../database.ts'
import { createFindCredentials } from './find-credentials.ts'
import { createLoadUserStatus } from './load-user-status.ts'

export const createDirectory = (database: Database): Directory => ({
  findCredentials: createFindCredentials(database),
  loadUserStatus: createLoadUserStatus(database),
})
