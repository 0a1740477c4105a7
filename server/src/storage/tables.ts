import type { Generated } from 'kysely'

/** The rows as both engines keep them: times in milliseconds, booleans as 0 or 1. */
export interface Tables {
  settings: { key: string; value: string }
  identity_version: { id: number; version: number }
  domains: {
    id: string
    name: string
    name_key: string
    description: string
    enabled: number
    created_at: number
  }
  projects: {
    id: string
    domain_id: string
    name: string
    name_key: string
    description: string
    enabled: number
    created_at: number
  }
  users: {
    id: string
    domain_id: string
    name: string
    name_key: string
    displayname: string
    email: string
    mobile: string
    description: Generated<string>
    enabled: number
    password_hash: string | null
    password_expires_at: number | null
    expires_at: number | null
    default_project_id: string | null
    created_at: number
  }
  groups: {
    id: string
    domain_id: string
    name: string
    name_key: string
    description: Generated<string>
    created_at: number
  }
  group_members: { group_id: string; user_id: string }
  roles: {
    id: string
    domain_id: string
    name: string
    name_key: string
    description: string
    created_at: number
  }
  policies: {
    id: string
    name: string
    name_key: string
    scope: string
    enabled: number
    /** JSON: the list of rules. */
    rules: string
    /** Whether a rule allows everything, and whether a rule forbids anything. */
    allows_all: Generated<number>
    forbids: Generated<number>
    created_at: number
  }
  role_policies: { role_id: string; policy_id: string }
  /** Held by a user or by a group; on a project, on a domain, or (neither) on the system. */
  assignments: {
    id: string
    role_id: string
    user_id: string | null
    group_id: string | null
    project_id: string | null
    domain_id: string | null
    /** The provider whose mapping gave it; null where somebody did. */
    provider_id: string | null
  }
  access_keys: {
    id: string
    name: string
    name_key: string
    user_id: string
    project_id: string
    enabled: number
    /** Sealed. */
    secret: string
    expires_at: number | null
    last_used_at: number | null
    last_used_ip: string
    created_at: number
  }
  identity_providers: {
    id: string
    name: string
    name_key: string
    driver: string
    /** JSON: what only the driver understands. */
    options: string
    domain_id: string
    enabled: number
    /** JSON: the list of rules. */
    mapping: string
    created_at: number
  }
  subjects: { provider_id: string; subject: string; user_id: string }
  tokens: {
    id: string
    user_id: string
    project_id: string | null
    domain_id: string | null
    method: string
    parent_id: string | null
    generation: number
    issued_at: number
    expires_at: number
    ip: string
    source: string
    access_key_id: string | null
    access_key_expires_at: number | null
    provider_id: string | null
  }
  /** What was good once, and by whom it was used. */
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
  }
  login_attempts: {
    bucket: string
    failures: number
    /** Comparisons under way, and when the newest of them began. */
    pending: number
    pending_at: number
    blocked_until: number
  }
  login_origins: { account: string; address: string; last_at: number }
  /** Texts that many servers have in common, each kept once; folded: in lower case. */
  words: { code: number; word: string; folded: string }
  /**
   * What servers are found, sorted and counted by: besides these a column for each field, as
   * `storage/servers/columns.ts` says. State: 0 in use, 1 in the recycle bin, 2 deleted.
   */
  servers: { seq: number; id: string; revision: number; state: number; status: string }
  /** What is shown of a server, rendered when it was written. */
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
    summary_digest: string
    metadata_digest: string
    /** JSON members, for those who may see them. */
    admin_group: string
    metadata: string | Uint8Array
    summary: string | Uint8Array
    document: string | Uint8Array
  }
  /** What a search looks at. */
  server_texts: { server: number; text: string; starts: string }
  /** With how big the server is, so that tags can be counted without looking at it. */
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
  /** Which names go with which ids. */
  server_places: { place: string; id: number; name: number }
  /** How many servers in use a project has of each value, and how big they are together. */
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
  fleet_version: { id: number; version: number }
  fleet_numbers: { id: number; server: number; word: number; revision: number }
  scope_versions: { scope: string; version: number }
  cloudaccounts: {
    id: string
    name: string
    name_key: string
    provider: string
    brand: string
    address: string
    /** Sealed: JSON. */
    credentials: string
    /** JSON. */
    options: string
    project_id: string
    period: number
    enabled: number
    /** JSON: the list of rules. */
    mapping: string
    /** Seconds; null for the setting of the process. */
    disappearance_hold: number | null
    created_at: number
    /** Grows with each change of what stands above. */
    revision: number
    /** Deleted, and its servers not yet gone. */
    leaving: number
  }
  /** How it goes with an account: written by who runs it. */
  account_syncs: {
    account_id: string
    /** Who runs the account, and until when that is so unless it is renewed. */
    runner: string
    leased_until: number
    is_running: number
    started_at: number | null
    /** Of the last complete one, as are the counts while none is running. */
    finished_at: number | null
    duration_ms: number
    seen: number
    created: number
    changed: number
    gone: number
    /** What went wrong last, in words for an operator; empty while all is well. */
    error: string
    /** How many times in a row. */
    failures: number
    next_at: number
    /** When the source last gave a proper answer. */
    answered_at: number
    /** Its servers have been turned unknown. */
    is_lost: number
    /** The revision of the account whose mapping its servers are under. */
    mapped_revision: number
    /** JSON: the list of warnings. */
    warnings: string
    /** Servers missing since then or earlier were confirmed as gone; 0 where none were. */
    confirmed_gone: number
  }
  /** What each account said last of each server that it sees. */
  sightings: {
    account_id: string
    server_id: string
    digest: string
    project_id: string
    /** How many complete scans in a row have missed it, and since when; 0 where it was seen. */
    missed: number
    missing_since: number
    /** Its name while it runs, for sources whose servers run on one host only; else empty. */
    active_name: string
    /** The host that it then runs on. */
    active_host: string
  }
  /** Queries that people keep by a name. */
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
    scope: string
    sharing: string
    user_id: string
    /** Null where the token was for a domain. */
    project_id: string | null
    created_at: number
    updated_at: number
    /** Grows with each change. */
    revision: number
  }
  /** How many servers in use a project had on a day, counted since 1970, and how big they were together. */
  fleet_days: {
    project_id: number
    day: number
    domain_id: number
    servers: number
    vcpu_count: number
    vmem_size: number
    disk: number
  }
  /** Those of browsers. The tokens are sealed under a key that only the browser has. */
  sessions: {
    /** The hash of what the browser's cookie names. */
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
