import type {
  AdministeredKind,
  AdministeredResources,
  InventoryKind,
  Stored,
} from '@muster/contract'
import type { Generated } from 'kysely'
import type { AccountTables } from './account-tables.ts'
import type { FactorTables } from './factor-tables.ts'

/** The resources of the inventory besides servers. Their other columns follow from their descriptions, see `resources/columns.ts`. */
type InventoryTables = Readonly<Record<InventoryKind, { id: string; name: string }>>

type Cell<Value> = Value extends boolean
  ? number
  : Value extends string
    ? string
    : Value extends number | null
      ? Value
      : string

/** Columns that a migration added, with a default value. */
interface AddedColumns {
  credentials: 'restriction'
  domains: 'local_passwords' | 'local_passwords_since' | 'login_rules'
  users: 'description' | 'break_glass' | 'service_account' | 'owner_id' | 'purpose'
  groups: 'description'
}

type AdministeredRow<K extends AdministeredKind> = {
  -readonly [Name in keyof Stored<AdministeredResources[K]>]: K extends keyof AddedColumns
    ? Name extends AddedColumns[K]
      ? Generated<Cell<Stored<AdministeredResources[K]>[Name]>>
      : Cell<Stored<AdministeredResources[K]>[Name]>
    : Cell<Stored<AdministeredResources[K]>[Name]>
} & { name_key: string }

/** Columns that are not fields of the resource. */
interface InternalColumns {
  users: {
    password_hash: string | null
    /** When the password of a user was refused, where that is not when the domain began to refuse passwords. */
    password_refused_at: Generated<number | null>
    /** When somebody else last removed the second factors, and who did. */
    factors_reset_at: Generated<number | null>
    factors_reset_by: Generated<string | null>
  }
  roles: { domain_id: string }
  /** Whether any rule allows everything, and whether any rule denies something. */
  policies: { allows_all: Generated<number>; forbids: Generated<number> }
  /** The secret options of the driver: JSON, encrypted. */
  identity_providers: { secrets: string | null }
  /** Encrypted. */
  credentials: { secret: string }
}

/** The administered resources. Access keys are the credentials of the API. */
type AdministeredTables = {
  [K in AdministeredKind as K extends 'credentials' ? 'access_keys' : K]: AdministeredRow<K> &
    (K extends keyof InternalColumns ? InternalColumns[K] : unknown)
}

/** The rows of both engines. Times are in milliseconds, booleans are 0 or 1. */
export interface Tables extends InventoryTables, AdministeredTables, AccountTables, FactorTables {
  settings: { key: string; value: string }
  identity_version: { id: number; version: number }
  group_members: { group_id: string; user_id: string }
  /** Links to set a first password: SHA-256 of the secret. */
  password_links: {
    user_id: string
    hash: string
    expires_at: number
    created_by: string
    /** The access key that created it, with which it ends. */
    access_key_id: Generated<string | null>
    project_id: string | null
    domain_id: string | null
  }
  role_policies: { role_id: string; policy_id: string }
  /** A role of a user or a group, in a project, in a domain or (neither) in the system. */
  assignments: {
    id: string
    role_id: string
    user_id: string | null
    group_id: string | null
    project_id: string | null
    domain_id: string | null
    /** The identity provider that assigned it by its mapping; null if a person did. */
    provider_id: string | null
  }
  /** Whom identity providers know by which user. */
  subjects: {
    provider_id: string
    subject: string
    user_id: string
    /** When the provider last said so. Older claims change no roles. */
    confirmed_at: Generated<number>
    /** When a sync disabled the user, because the provider had no such person. */
    ended_at: Generated<number | null>
  }
  tokens: {
    id: string
    user_id: string
    project_id: string | null
    domain_id: string | null
    method: string
    parent_id: string | null
    generation: number
    /** The login that it comes from. */
    login_at: Generated<number>
    login_method: Generated<string>
    issued_at: number
    expires_at: number
    ip: string
    source: string
    access_key_id: string | null
    access_key_expires_at: number | null
    provider_id: string | null
    provider_session: string | null
    /** The second factor, and when its last code was sent. */
    factor_method: Generated<string | null>
    factor_at: Generated<number | null>
  }
  /** Login tickets and nonces that were used, and by whom: each is valid once. */
  spent: { id: string; address: string; spent_at: number }
  events: {
    id: string
    time: number
    action: string
    target_type: string
    target_id: string
    target_name: string
    user_id: string
    user_name: string
    project_id: string
    domain_id: string
    ip: string
    request_id: string
    result: string
    /** JSON. */
    changes: string
    /** Set by the database. Events sorted by it and by id are in the order in which they were committed. */
    position: Generated<number>
  }
  /** Where events are delivered to. */
  change_sinks: Tables['event_sinks']
  /** The place of events that became changes, for those who go on after them. */
  former_events: {
    id: string
    position: number
  }
  event_sinks: {
    name: string
    /** The process that delivers, and until when unless it renews its lease. */
    runner: string
    leased_until: number
    /** Of the last event that was delivered or skipped. */
    position: number
    event_id: string
    /** Number of attempts so far. */
    attempts: number
    /** When the current event was first refused; 0 if it was not. */
    failing_since: number
  }
  /** The last attempts of each sink. */
  event_deliveries: {
    sink: string
    attempt: number
    event_id: string
    time: number
    duration_ms: number
    /** The HTTP status; 0 if there was none. */
    status: number
    result: string
    error: string
  }
  login_attempts: {
    bucket: string
    failures: number
    /** Password comparisons that are running, and when the newest of them began. */
    pending: number
    pending_at: number
    blocked_until: number
  }
  /** `account` is the key of a user. */
  login_origins: { account: string; address: string; last_at: number }
  /** The text dictionary: texts that servers share, each stored once; `folded` is in lower case. */
  words: { code: number; word: string; folded: string }
  /**
   * What servers are filtered, sorted and counted by. Besides these it has a column for each field, see
   * `storage/servers/field-columns.ts`. State: 0 in use, 1 in the recycle bin, 2 deleted.
   */
  servers: { seq: number; id: string; revision: number; state: number; status: string }
  /** The response bodies of a server, rendered when it was written. */
  server_documents: {
    server: number
    id: string
    revision: number
    state: number
    project_id: string
    domain_id: string
    manager_project_id: string
    account_id: string
    facts_digest: string
    document_digest: string
    /** JSON members that only administrators see. */
    admin_group: string
    /** Empty, except for servers that were stored by a version of Muster without `packed`. */
    summary_digest: string
    metadata_digest: string
    metadata: string | Uint8Array
    summary: string | Uint8Array
    document: string | Uint8Array
    /** The version of the rendering, empty for versions of Muster that did not store it. */
    rendering: string
    /** The rendered texts, compressed; see `servers/packed-documents.ts`. */
    packed: Uint8Array | null
  }
  /** One row: the version that every document has been rewritten to. */
  server_rendering: { id: number; version: string }
  /** The texts that a search looks at. */
  server_texts: { server: number; text: string; starts: string }
  /** With the size of the server, so that statistics by tag need not read the server. */
  server_tags: {
    server: number
    origin: number
    key: number
    value: number
    state: number
    vcpu_count: number
    vmem_size: number
    disk: number
  }
  server_addresses: { server: number; address: string; state: number }
  /** The networks of the NICs, as codes of the dictionary. */
  server_networks: { server: number; network: number; state: number }
  /** Which account last reported which resource, or a server that refers to it. */
  resource_sightings: { account_id: string; kind: string; resource_id: string; digest: string }
  /** The names of regions, zones, hosts and the like, by their ids. */
  server_places: { place: string; id: number; name: number }
  /** For each value of a field, how many servers in use a project has, and their total size. */
  server_counts: {
    facet: string
    project_id: number
    value: number
    domain_id: number
    servers: number
    vcpu_count: number
    vmem_size: number
    disk: number
  }
  /**
   * For each combination of values of some fields, how many live servers have it, and their total
   * size. Besides these it has the columns in `storage/servers/counts.ts`.
   */
  server_combinations: { servers: number; vcpu_count: number; vmem_size: number; disk: number }
  /** The servers version, of all servers. Those of projects and domains are in `scope_versions`. */
  fleet_version: { id: number; version: number }
  fleet_numbers: {
    id: number
    server: number
    word: number
    revision: number
    redactions: number
    /** The first time about which the inventory can be asked. */
    recorded_since: number
    /** The last commit whose changes were purged; 0 if there is none. */
    purged_position: number
  }
  scope_versions: { scope: string; version: number }
  /** The commits that changed servers, in the order of their positions. No time is before that of an earlier one. */
  change_commits: { revision: number; position: number; time: number }
  /** What each commit changed. The texts of owners and accounts are codes of the dictionary. */
  server_changes: {
    revision: number
    /** The number of the server. */
    server: number
    /** Bits, see `change-kinds.ts`. 0 if nothing changed that is shown. */
    kinds: number
    account: number
    project: number
    domain: number
    /** Those before the change, if they differ. */
    former_project: number | null
    former_domain: number | null
    /** Microseconds: `updated_at` of the version before. Null if there was none. */
    former_updated_at: number | null
    /** Microseconds: the source's own time of the change, if it gave one. */
    source_time: number | null
    task_id: string | null
    request_id: string | null
    /** JSON: the fields with their values before and after. Null for no differences. */
    diff: string | null
    /** The last version of a server that is gone, compressed. */
    former_version: Uint8Array | null
  }
  /** The rows of hosts, networks and the like before a commit changed them. */
  resource_changes: {
    revision: number
    kind: string
    id: string
    /** JSON. Null if there was none. */
    former: string | null
  }
  /** Servers that have changes, but no row any more. */
  former_servers: { server: number; id: string }
  /** What each account last reported about each server that it sees. */
  sightings: {
    account_id: string
    /** The number of the server. */
    server: number
    digest: string
    project_id: string
    /** Consecutive complete scans without it, and since when; 0 if the last scan saw it. */
    missed: number
    missing_since: number
    /** Its name while it runs, for sources whose servers run on one host only; otherwise empty. */
    active_name: string
    /** The host that it runs on. */
    active_host: string
  }
  /** Actions on servers. At most one of a server is unfinished. */
  tasks: {
    id: string
    action: string
    /** JSON. */
    params: string
    server_id: string
    server_name: string
    account_id: string
    /** The owner of the server when the task was accepted: those who see it may see the task. */
    project_id: string
    domain_id: string
    /** Empty for Muster's own tasks. */
    user_id: string
    user_name: string
    /** JSON: the scope of the token, in which the permission is checked again. */
    caller_scope: string
    /** The access key of the token, which must still exist; otherwise empty. */
    access_key_id: string
    status: string
    stage: string
    progress: number
    error: string
    error_class: string
    /** JSON. */
    error_values: string
    batch_id: string
    created_at: number
    started_at: number | null
    finished_at: number | null
    request_id: string
    ip: string
    through: string
    /** The status of the server when the task was accepted. */
    status_before: string
    /** The current step of the plan, how often its request was sent, and when last. */
    step: number
    sends: number
    sent_at: number | null
    /** JSON: the steps; empty until the task starts. */
    plan: string
    /** Whether the server still shows the status of this task. */
    is_shown: number
  }
  batches: {
    id: string
    action: string
    /** JSON. */
    params: string
    status: string
    total: number
    matched: string
    max_parallel: number
    max_failures: number
    failures_in_row: number
    /** The scope of the token; both are empty for the system. */
    project_id: string
    domain_id: string
    user_id: string
    user_name: string
    created_at: number
    finished_at: number | null
  }
  /**
   * Former ids of servers that another domain has taken over, among them the one that follows from the key
   * of the source. The current one is `server_id`.
   */
  server_keys: { source_id: string; server_id: string }
  /** Ids of a batch without a task: they did not exist for the caller. */
  batch_refusals: { batch_id: string; server_id: string }
  /** Keys of requests that must not act twice. */
  idempotency_keys: {
    user_id: string
    key: string
    request_hash: string
    task_id: string
    batch_id: string
    created_at: number
  }
  /** Previewed actions. `answer` is empty before the user has answered. */
  action_tickets: {
    id: string
    user_id: string
    action: string
    params: string
    servers: string
    question: string
    answer: string
    created_at: number
    expires_at: number
    used_at: number | null
  }
  /** Servers in the recycle bin, and how they are deleted in the end. */
  recycle_bin: {
    server_id: string
    account_id: string
    delete_disks: number
    delete_snapshots: number
    auto_delete_at: number
  }
  /** Saved views: queries with a name. */
  views: {
    id: string
    name: string
    name_key: string
    resource: string
    q: string
    /** JSON: lists of names. */
    columns: string
    order_by: string
    direction: string
    group_by: string
    scope: string
    sharing: string
    user_id: string
    /** Null if the token was for a domain. */
    project_id: string | null
    created_at: number
    updated_at: number
    /** Raised by each change. */
    revision: number
  }
  /** Saved queries that should match nothing. */
  checks: {
    id: string
    name: string
    name_key: string
    description: Generated<string>
    severity: string
    q: string
    /** In seconds. */
    grace: number
    enabled: number
    built_in: number
    /** Null for all projects; so is the domain for all domains. */
    project_id: string | null
    domain_id: string | null
    evaluated_at: Generated<number | null>
    error: Generated<string>
    created_at: number
    updated_at: number
    /** Raised by each change, and by each commit of the evaluation. */
    revision: number
    /** A digest of what was evaluated last. Empty: the whole query has yet to run. */
    evaluated_definition: Generated<string>
    /** The last commit of servers that was evaluated. */
    position: Generated<number>
    /** When a process last began to evaluate. */
    claimed_at: Generated<number>
  }
  /** The intervals in which something violated a check. */
  check_violations: {
    id: string
    check_id: string
    subject_kind: string
    subject_id: string
    name: string
    project_id: string
    domain_id: string
    since: number
    /** Null until the grace time is over. */
    opened_at: number | null
    /** Null while it lasts. */
    until: number | null
  }
  /** How many servers in use a project had on a day (days since 1970), and their total size. */
  fleet_days: {
    project_id: number
    day: number
    domain_id: number
    servers: number
    vcpu_count: number
    vmem_size: number
    disk: number
  }
  /** Browser sessions. The tokens are encrypted with a key that only the browser has. */
  sessions: {
    /** The hash of the id in the browser's cookie. */
    id: string
    user_id: string
    sealed: string
    scope: string
    ip: string
    user_agent: string
    created_at: number
    seen_at: number
    expires_at: number
  }
}
