import type { ServerFacts } from '../inventory/server-facts.ts'
import type { ReportedParts } from './reported-parts.ts'
import type { ReportedResources } from './reported-resources.ts'
import type { ActionSupport } from './action-port.ts'
import type { SourceError } from './source-error.ts'

/** Types only: the domain opens no sockets. */
type Socket = import('node:net').Socket
type HttpAgent = import('node:http').Agent
type HttpsAgent = import('node:https').Agent
type Dispatcher = import('undici').Dispatcher

/** Fields that Muster sets, so a source does not report them. */
type Assigned =
  | 'id'
  | 'account'
  | 'account_id'
  | 'attach_time'
  | 'auto_delete_at'
  | 'created_at'
  | 'manager'
  | 'manager_id'
  | 'manager_project_id'
  // It follows from `nics`.
  | 'networks'
  | 'pending_deleted'
  | 'pending_deleted_at'
  | 'project_id'
  | 'project_src'
  | 'provider'
  | 'unread'

/** What a source reports about a server. It leaves out fields that it does not know. */
export type ReportedFacts = Omit<ServerFacts, Assigned | keyof ReportedParts> &
  ReportedParts & {
    /** When the server was created. Without it, the time when Muster first saw it. */
    readonly created_at?: string
    /** Only for sources with servers of several clouds; the default is the kind's provider. */
    readonly provider?: string
  }

/** A field that needs more requests than the list of servers. `notes` stands for `lost_on_stop`. */
export type DetailField =
  | Exclude<
      keyof ReportedFacts,
      'name' | 'status' | 'external_id' | 'provider' | 'adminGroup' | 'created_at'
    >
  | 'tenant'

/**
 * Identifies a server in every account and after a restore. The server's id is derived from it. It begins
 * with the kind of the source. A key with a single part is the id itself; Muster uses it for a server that
 * got another id.
 */
export type ServerKey = readonly string[]

export interface ReportedServer {
  readonly key: ServerKey
  /** The source's tenant, project or subscription, if it has one. */
  readonly tenant?: { readonly id: string; readonly name: string }
  /** Must be equal while the server does not change: equal facts are not written again. */
  readonly facts: ReportedFacts
  /** Whether the source is working on the server. Only `get` reports it, if the source tells. */
  readonly isBusy?: boolean
  /**
   * Fields that a failed request left incomplete. A server that is known keeps its stored values, and its project
   * if they are the tags or the tenant.
   */
  readonly unread?: readonly DetailField[]
}

/** A server that exists but could not be read. Its stored fields stay; its status becomes `unknown`. */
export interface UnreadableServer {
  /** Must equal the key of the server when it can be read. */
  readonly key: ServerKey
  readonly name: string
  /** Why it could not be read, for an operator. */
  readonly reason: string
}

/** A permission that the credentials lack, and how many servers miss details without it. */
export interface Forbidden {
  readonly permission: string
  readonly servers: number
}

/** A part of a source that a scan could not read. */
export interface FailedPart {
  /** The source's id of the region; '' if it can be any. */
  readonly region: string
  /** The id of the tenant, if others of the region were read. */
  readonly tenant?: string
  readonly error: SourceError
  /** All servers of the part were read: only some of their details may be outdated. */
  readonly hasServers?: boolean
}

/** Servers that exist, and keys of servers that no longer exist. */
export interface SourceUpdate {
  readonly present: readonly ReportedServer[]
  readonly gone: readonly ServerKey[]
  /** Servers that cannot be read are listed here, so that they do not fail the whole scan. */
  readonly unreadable?: readonly UnreadableServer[]
}

/**
 * A page of a scan. An event is only a `SourceUpdate`: a host or a network is described by its own report and
 * by all servers that refer to it, and only a scan has both.
 */
export interface ScanPage extends SourceUpdate {
  /**
   * All regions of the source, or those that the account lists. Servers of a region that the source no
   * longer has are not removed; those of a region that the account no longer lists are.
   */
  readonly regions?: readonly string[]
  readonly areRegionsGiven?: boolean
  /** What could not be read. The scan is complete for everything else. If all failed, it must throw. */
  readonly failed?: readonly FailedPart[]
  /**
   * The ids of the tenants that this scan reads, if the credentials may lose some of them. Missing
   * servers of other tenants are not removed at once.
   */
  readonly tenants?: readonly string[]
  /** Hosts, networks, regions and zones. After a complete scan, unreported ones are removed. */
  readonly resources?: ReportedResources
  /** An optional request was denied. */
  readonly forbidden?: Forbidden
}

/** What a source needs to find a server again. A field is '' if the source did not report it. */
export interface ServerReference {
  readonly externalId: string
  /** The name that it had when it was last reported. */
  readonly name: string
  /** The source's id of the region. */
  readonly regionId: string
  /** The source's id of the zone. */
  readonly zoneId: string
  /** The reported `host_id`. */
  readonly hostId: string
  /** The id of the reported tenant. */
  readonly tenantId: string
  /** The reported notes. */
  readonly notes: Readonly<Record<string, string>>
}

/** An open connection to a source. All its errors are `SourceError`. */
export interface Source {
  /** Product, version and host of the source, for an operator, such as `libvirt 9.0.0 on kvm-1`. */
  readonly title: string
  /**
   * Yields all servers, page by page. It must throw if any part is missing or inconsistent, or report the
   * region as failed: servers that a complete scan does not report count as missing.
   */
  scan(signal: AbortSignal): AsyncIterable<ScanPage>
  /**
   * Reads one server; undefined only if the source denies that it exists. A missing server is read before
   * it is removed. An error of the kind `incomplete` means that the source cannot decide.
   */
  get(
    reference: ServerReference,
    signal: AbortSignal,
  ): Promise<ReportedServer | UnreadableServer | undefined>
  /** Reads several servers in fewer requests than `get`, in the same order. Absent if the source cannot. */
  getMany?(
    references: readonly ServerReference[],
    signal: AbortSignal,
  ): Promise<readonly (ReportedServer | UnreadableServer | undefined)[]>
  /**
   * Yields changes as they happen, until the signal. The first item, which may be empty, says that
   * no change is missed from now on. Absent if the source has no events.
   */
  watch?(signal: AbortSignal): AsyncIterable<SourceUpdate>
  close(): Promise<void>
}

/** How to connect to a source, with the field names of the API. */
export interface SourceSettings {
  /** Empty if none was given. */
  readonly address: string
  readonly credentials: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, unknown>>
}

export interface TlsSettings {
  /** PEM; the default is Node's list of authorities. */
  readonly ca?: string
  /** SHA-256 of the only accepted certificate, in hexadecimal with or without colons. */
  readonly fingerprint?: string
  readonly certificate?: string
  readonly key?: string
}

export interface ConnectionSettings extends TlsSettings {
  /** A Unix socket to connect to, whatever the host of the request. */
  readonly socketPath?: string
}

/**
 * The only way to open outgoing connections. It allows only permitted addresses and checks every
 * certificate.
 */
export interface Egress {
  openUnixSocket(path: string, signal: AbortSignal): Promise<Socket>
  openTcpSocket(
    target: { readonly host: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<Socket>
  openTlsSocket(
    target: { readonly host: string; readonly port: number },
    tls: TlsSettings,
    signal: AbortSignal,
  ): Promise<Socket>
  /** Agents for clients that use Node's `http` and `https`. The caller destroys them. */
  createAgents(connection: ConnectionSettings): {
    readonly http: HttpAgent
    readonly https: HttpsAgent
  }
  /** A dispatcher for clients that use the package `undici`: `fetch` and `WebSocket`. The caller destroys it. */
  createDispatcher(connection: ConnectionSettings): Promise<Dispatcher>
}

/** One text that a source has stored. */
export interface StateEntry {
  readonly key: string
  readonly value: string
  /** The version of the write. Later writes of the account have higher versions. */
  readonly version: number
}

/** What a source stores in Muster's database. All processes on the database share it. */
export interface SourceState {
  /** The entries with these keys that exist, in any order. */
  get(keys: readonly string[]): Promise<readonly StateEntry[]>
  /** Entries written after a version, in the order of writing; all entries after 0. */
  changes(after: number): Promise<readonly StateEntry[]>
  /**
   * Writes an entry if it still has this version, or does not exist if that is 0; otherwise returns false.
   * Durable when it resolves. Keys are not empty.
   */
  put(entry: StateEntry): Promise<boolean>
}

/** What Muster passes to a source. */
export interface SourceContext {
  /** Lets a kind share one connection per account; absent when settings are tested. */
  readonly accountId?: string
  /** Absent when settings are tested. */
  readonly state?: SourceState
  readonly egress: Egress
  /** The rate limit: await it before each request. */
  readonly throttle: () => Promise<void>
  /** The timeout of one request in milliseconds. */
  readonly timeLimit: number
  readonly clock: () => number
}

/** One setting of an account. */
export interface SettingField {
  readonly name: string
  readonly type: 'text' | 'integer' | 'boolean' | 'list'
  readonly isRequired: boolean
  /** The label and help in a form. */
  readonly description: string
  /** A multi-line text, such as a certificate. */
  readonly isLong?: boolean
  /** Whether a form masks it. Default: credentials are masked, options are not. */
  readonly isSecret?: boolean
}

/** Permissions that the credentials need, ready to paste: a policy, a role, or commands. */
export interface SourceRights {
  /** What the text is and where it goes, such as `IAM policy of the user`. */
  readonly title: string
  readonly text: string
}

export interface SettingProblem {
  /** Such as `address` or `options.regions`. */
  readonly path: string
  /** It follows the name of the field, such as `must be a web address`. */
  readonly problem: string
}

/**
 * A kind of source: the settings of its accounts, and how to open one. To add a kind, add a folder
 * and a line in `sources/kinds.ts`.
 */
export interface SourceKind {
  readonly provider: string
  /** Such as `libvirt / KVM`. */
  readonly title: string
  readonly description: string
  readonly address: {
    readonly isRequired: boolean
    readonly description: string
    readonly example: string
  }
  readonly credentials: readonly SettingField[]
  readonly options: readonly SettingField[]
  /** The least permissions. The page of the source in `docs/sources` has the same texts. */
  readonly rights: readonly SourceRights[]
  /** The default of seconds between complete scans. */
  readonly period: number
  readonly requestsPerSecond: number
  readonly hasEvents: boolean
  /** Whether each account is one host. Then a server that runs in two accounts causes a warning. */
  readonly isOnOneHost?: boolean
  /** Checks settings beyond presence and type. No I/O. */
  check(settings: SourceSettings): readonly SettingProblem[]
  /** The host of the address; undefined for a local socket or a built-in address. */
  hostOf(settings: SourceSettings): string | undefined
  open(settings: SourceSettings, context: SourceContext, signal: AbortSignal): Promise<Source>
  /** What can be done with servers. Absent if the source can only be read. */
  readonly acting?: ActionSupport
}

/** Every kind of source by its provider. A kind is loaded when it is first needed. */
export type SourceKinds = ReadonlyMap<string, () => Promise<SourceKind>>
