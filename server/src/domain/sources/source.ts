import type { ServerFacts } from '../inventory/server-facts.ts'

/** What they are is known here, not how they are made: nothing in the domain opens one. */
type Socket = import('node:net').Socket
type HttpAgent = import('node:http').Agent
type HttpsAgent = import('node:https').Agent

/** What Muster adds to what a source says, or works out from it. */
type Assigned =
  | 'id'
  | 'account'
  | 'account_id'
  | 'attach_time'
  | 'created_at'
  | 'manager'
  | 'manager_id'
  | 'manager_project_id'
  | 'project_id'
  | 'project_src'
  | 'provider'

/** Facts of a server as its source tells them. What a source has no notion of, it leaves out. */
export type ReportedFacts = Omit<ServerFacts, Assigned> & {
  /** When it was made, where the source knows; else it is when it was first seen. */
  readonly created_at?: string
  /** Only a source that shows servers of several clouds says it; else it is the source's own. */
  readonly provider?: string
}

/** The natural name of a server: the same whoever looks, and whichever way. Its id is made of it. */
export type ServerKey = readonly string[]

export interface ReportedServer {
  readonly key: ServerKey
  /** The source's own tenant, project or subscription that it belongs to, where there is such a thing. */
  readonly tenant?: { readonly id: string; readonly name: string }
  /** Nothing in them may change while the server does not: what is the same again is not written again. */
  readonly facts: ReportedFacts
}

/** A server that exists, but that the source could not describe. Muster keeps what it knew of it. */
export interface UnreadableServer {
  /** The same key as when it can be read. */
  readonly key: ServerKey
  readonly name: string
  /** Why, in words for an operator. */
  readonly reason: string
}

/** What a source knows for sure: who is there and how, and who is no longer. */
export interface SourceUpdate {
  readonly present: readonly ReportedServer[]
  readonly gone: readonly ServerKey[]
  /** One server that cannot be read must not fail the scan of all others: it is reported here. */
  readonly unreadable?: readonly UnreadableServer[]
  /**
   * Of a scan: all regions that the source has now, where it decides that by itself. A known region
   * that is not among them is an error, and its servers are kept.
   */
  readonly regions?: readonly string[]
}

/** A server as Muster remembers it, as far as a source needs that to find it again. */
export interface ServerReference {
  readonly externalId: string
  readonly regionId: string
}

/** An open line to a source. Whatever goes wrong is thrown as a `SourceError`. */
export interface Source {
  /** Who answers, in a few words for an operator, such as `libvirt 9.0.0 on kvm-1`. */
  readonly title: string
  /**
   * Everything there is, page by page. It ends only when all of it has been told: where a part could
   * not be had, or does not add up, it throws.
   */
  scan(signal: AbortSignal): AsyncIterable<SourceUpdate>
  /** One server as it is now; undefined where the source knows for sure that it is no longer there. */
  get(
    reference: ServerReference,
    signal: AbortSignal,
  ): Promise<ReportedServer | UnreadableServer | undefined>
  /**
   * What changes from now on, as it happens, until the signal. The first item comes at once, and may
   * be empty: from then on nothing is missed. Absent where the source does not tell by itself.
   */
  watch?(signal: AbortSignal): AsyncIterable<SourceUpdate>
  close(): Promise<void>
}

/** How an account reaches its source, in the wire's own words. */
export interface SourceSettings {
  /** Empty where none was given. */
  readonly address: string
  readonly credentials: Readonly<Record<string, string>>
  readonly options: Readonly<Record<string, unknown>>
}

export interface TlsSettings {
  /** PEM; without it the usual authorities count. */
  readonly ca?: string
  /** SHA-256 of the one certificate that counts, as hexadecimal digits with or without colons. */
  readonly fingerprint?: string
  readonly certificate?: string
  readonly key?: string
}

/** The only way out. It goes to allowed addresses, and every certificate is checked. */
export interface Egress {
  openUnixSocket(path: string, signal: AbortSignal): Promise<Socket>
  openTlsSocket(
    target: { readonly host: string; readonly port: number },
    tls: TlsSettings,
    signal: AbortSignal,
  ): Promise<Socket>
  /** For clients of HTTP: they connect to allowed addresses only. To be destroyed by who asked. */
  createAgents(tls: Pick<TlsSettings, 'ca'>): {
    readonly http: HttpAgent
    readonly https: HttpsAgent
  }
}

/** What a source is given to work with. */
export interface SourceContext {
  /** The account that it is opened for, so that a kind can share one connection between all who open it; absent in a test of settings. */
  readonly accountId?: string
  readonly egress: Egress
  /** Waited for before each request, so that the source is not overrun. */
  readonly throttle: () => Promise<void>
  /** Milliseconds that one request may take. */
  readonly timeLimit: number
  readonly clock: () => number
}

/** One value that an account of a kind takes. */
export interface SettingField {
  readonly name: string
  readonly type: 'text' | 'integer' | 'boolean' | 'list'
  readonly isRequired: boolean
  /** As a person would be asked for it. */
  readonly description: string
  /** Several lines, such as a certificate. */
  readonly isLong?: boolean
}

export interface SettingProblem {
  /** Such as `address` or `options.regions`. */
  readonly path: string
  readonly problem: string
}

/** A kind of source: what an account of it needs, and how to open one. One folder, one line in the list of kinds. */
export interface SourceKind {
  readonly provider: string
  /** What it is, as in `libvirt / KVM`. */
  readonly title: string
  readonly description: string
  readonly address: {
    readonly isRequired: boolean
    readonly description: string
    readonly example: string
  }
  readonly credentials: readonly SettingField[]
  readonly options: readonly SettingField[]
  /** Seconds between complete scans, where nobody says otherwise. */
  readonly period: number
  readonly requestsPerSecond: number
  readonly hasEvents: boolean
  /** Whether a server runs on one host only, which is one account: running on two is worth a warning. */
  readonly isOnOneHost?: boolean
  /** What is wrong with settings whose fields are all there and of their types. No I/O. */
  check(settings: SourceSettings): readonly SettingProblem[]
  /** The host that the address leads to; undefined where it stays on this machine, or the source has its own. */
  hostOf(settings: SourceSettings): string | undefined
  open(settings: SourceSettings, context: SourceContext, signal: AbortSignal): Promise<Source>
}

/** Every kind of source by its provider. A kind is loaded when it is first needed. */
export type SourceKinds = ReadonlyMap<string, () => Promise<SourceKind>>
