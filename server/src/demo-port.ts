import type { AccountRule } from '@muster/contract'
import type { Account, AttachedAccount } from './domain/sources/account.ts'
import type { DemoRecord } from './storage/demo-record.ts'

export type { Account, AttachedAccount, DemoRecord }
export type { SyncRecord } from './domain/sources/account.ts'

export interface DemoDomain {
  readonly id: string
  readonly name: string
  readonly description: string
}

export interface DemoProject {
  readonly id: string
  readonly name: string
  readonly domain_id: string
}

/** A built-in role, and the scope it is assigned in. */
export type DemoRole =
  | { readonly role: string; readonly on: 'system' }
  | { readonly role: string; readonly on: 'domain'; readonly domain: DemoDomain }
  | { readonly role: string; readonly on: 'project'; readonly project: DemoProject }

export interface DemoPerson {
  readonly id: string
  readonly name: string
  readonly displayname: string
  readonly domain_id: string
  /** Null for a user that logs in to the whole domain. */
  readonly default_project_id: string | null
  readonly roles: readonly DemoRole[]
}

export interface DemoOrganisation {
  readonly domains: readonly DemoDomain[]
  readonly projects: readonly DemoProject[]
  readonly people: readonly DemoPerson[]
}

/** A cloud account of the demo as it is first attached. */
export type DemoAccount = Pick<
  Account,
  'id' | 'name' | 'provider' | 'options' | 'project_id' | 'period' | 'mapping' | 'created_at'
>

/** A user of the demo with its current names. */
export interface DemoUser {
  readonly name: string
  /** Undefined once it was changed. */
  readonly password: string | undefined
  readonly domain: string
  /** The first role that the demo assigned. */
  readonly role: string
  /** Undefined for a user that logs in to the whole domain. */
  readonly project: string | undefined
}

/** What the server does for a demo. */
export interface DemoHost {
  findRecord(): Promise<DemoRecord | undefined>
  saveRecord(record: DemoRecord): Promise<void>
  /** Deletes all servers and accounts. A demo never shares its database with real ones. */
  clear(): Promise<void>
  /** Creates the domains, projects and people that are missing. Existing ones are not changed. */
  createOrganisation(organisation: DemoOrganisation): Promise<void>
  /** Attaches the accounts that are missing. Existing ones are not changed. */
  attachAccounts(accounts: readonly DemoAccount[]): Promise<void>
  /** Gives the accounts new options and further mapping rules; everything else stays as it is. */
  growAccounts(accounts: readonly DemoAccount[], rules: readonly AccountRule[]): Promise<void>
  listAccounts(): Promise<readonly AttachedAccount[]>
  /** How many servers of these accounts are stored. */
  countServers(accountIds: readonly string[]): Promise<number>
  /** Starts the sync of accounts that are due, this one among them. */
  reconcile(accountId: string): Promise<void>
  /** Who of these people exists and can log in. */
  listUsers(people: readonly DemoPerson[]): Promise<readonly DemoUser[]>
  /** Fills the timeline with the days before today, once all servers are loaded. */
  completeLoad(): Promise<void>
  /** An error that ends the start with one line for the operator. */
  configError(message: string): Error
  readonly log: { info(fields: object, message: string): void }
}

/** Where the progress of a long load is shown. */
export interface ProgressOutput {
  write(text: string): unknown
}

/** A running demo. */
export interface Demo {
  readonly servers: number
  readonly users: readonly DemoUser[]
  /** Whether some servers are not loaded yet. */
  readonly isLoading: boolean
  /** Settles when all servers are loaded, or after `stop`. */
  readonly loaded: Promise<void>
  /** Stops waiting. The next start loads what is missing. */
  stop(): void
  /** Instructions: the users, and a command that lists servers if there is an address to log in at. */
  welcomeText(authUrl: string | undefined, baseUrl: string): string
}
