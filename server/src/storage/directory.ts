import type { Directory } from '../domain/identity/ports.ts'
import type { Database } from './database.ts'
import { createFindAccount } from './find-account.ts'
import { createLoadStanding } from './load-standing.ts'

export const createDirectory = (database: Database): Directory => ({
  findAccount: createFindAccount(database),
  loadStanding: createLoadStanding(database),
})
