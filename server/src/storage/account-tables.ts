/** The rows of cloud accounts and of their syncs. Times are in milliseconds, booleans are 0 or 1. */
export interface AccountTables {
  cloudaccounts: {
    id: string
    name: string
    name_key: string
    provider: string
    brand: string
    address: string
    /** Encrypted JSON. */
    credentials: string
    /** JSON. */
    options: string
    project_id: string
    period: number
    enabled: number
    /** JSON: the list of rules. */
    mapping: string
    /** In seconds; null for the setting of the process. */
    disappearance_hold: number | null
    /** `observe` or `manage`. */
    access: string
    /** Actions that run at once. */
    max_actions: number
    /** In seconds, of one request to the source. */
    request_timeout: number
    created_at: number
    /** Raised by each change of the columns above. */
    revision: number
    /** The account is deleted, but some of its servers are still there. */
    leaving: number
  }
  /** The sync state of an account, written by the process that has its lease. */
  account_syncs: {
    account_id: string
    /** The holder of the lease, and when it expires unless it is renewed. */
    runner: string
    leased_until: number
    is_running: number
    started_at: number | null
    /** Of the last complete sync; so are the counts while no sync is running. */
    finished_at: number | null
    duration_ms: number
    seen: number
    created: number
    changed: number
    gone: number
    /** The last error, for an operator; empty after a success. */
    error: string
    /** The setting that the error is about; empty if it is about none. */
    error_field: string
    /** When the first of the consecutive failures began; null if the last sync did not fail. */
    failing_since: number | null
    /** Consecutive failures. */
    failures: number
    next_at: number
    /** When the source last answered correctly. */
    answered_at: number
    /** Whether its servers were marked unknown. */
    /** In code `is_unreachable`. */
    is_lost: number
    /** The revision of the account whose mapping was applied to its servers. */
    mapped_revision: number
    /** JSON: the list of warnings. */
    warnings: string
    /** Servers missing since this time or earlier are confirmed as gone; 0 for none. */
    confirmed_gone: number
  }
  /** The last syncs of each account that ended. */
  account_sync_runs: {
    account_id: string
    started_at: number
    finished_at: number
    /** `complete`, `failed` or `postponed`. */
    result: string
    seen: number
    created: number
    changed: number
    gone: number
    error: string
  }
  /** Until when accounts were observed, and regions that the last complete scan could not read. */
  account_observations: {
    account_id: string
    /** The source's id of a region; empty for the account, except for its other rows. */
    region: string
    /** The end of the last complete scan; 0 before the first. */
    observed_at: number
    /** A complete scan that ends later leaves a gap. */
    fresh_until: number
  }
  /** When accounts, or regions of them, were not observed. */
  account_gaps: {
    account_id: string
    /** As in `account_observations`. */
    region: string
    /** 0 if it was never observed before. */
    from: number
    until: number
  }
  /** What sources store. The row with an empty key has the account's last version. */
  source_state: { account_id: string; key: string; value: string; version: number }
}
