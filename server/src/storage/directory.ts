import type { Directory } from '../domain/identity/ports.ts'
import type { Database } from './database.ts'
import { createFindAccount } from './find-account.ts'
import { createLoadUserStatus } from './load-user-status.ts'

export const createDirectory = (database: Database): Directory => ({
  findAccount: createFindAccount(database),
  loadUserStatus: createLoadUserStatus(database),
})
