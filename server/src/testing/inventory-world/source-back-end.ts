import type { SourceSettings } from '../../domain/sources/source.ts'
import type { ErrorResponse, ProxiedRequest } from './fault-proxy.ts'

/**
 * A part of the kit, or the reason why this source or back end cannot have it, such as "The back end
 * has no pages". The test run prints and counts the reasons.
 */
type OrReason<Part> = Part | string

/** A back end, and how to change it with its own tools. All ids are the `external_id` of a server. */
export interface SourceBackEnd {
  readonly settings: SourceSettings
  /** The same back end with credentials that it rejects. */
  readonly wrongSettings: OrReason<SourceSettings>
  /** An address of this kind at which nothing listens. */
  readonly unreachableSettings: SourceSettings
  /** Creates a running server with this name and returns its id. Throws if the name is refused. */
  create(name: string): Promise<string>
  stop(id: string): Promise<void>
  start(id: string): Promise<void>
  remove(id: string): Promise<void>
  /** Gives a stopped server another name. */
  readonly rename?: (id: string, name: string) => Promise<void>
  /** Makes one of the existing servers unreadable, until `repair`. */
  readonly breakOne: OrReason<() => Promise<BrokenServer>>
  /**
   * Creates unusual servers and returns their ids: without addresses, without disks, with many tags,
   * with very long texts.
   */
  readonly createOdd: OrReason<() => Promise<readonly string[]>>
  /**
   * Fills a part of the back end with so many servers, or as many as it can have. The last test uses
   * it. `count` is the number of servers that the source sees with the returned settings.
   */
  readonly createMany: OrReason<
    (count: number) => Promise<{ readonly settings: SourceSettings; readonly count: number }>
  >
}

interface BrokenServer {
  /** If the source sees it with other settings than `settings`. */
  readonly settings?: SourceSettings
  repair(): Promise<void>
}

/** How the kit puts a proxy between the source and its back end. Called after the back end is up. */
export type FaultSetup =
  | { readonly http: () => HttpFaultSetup }
  | { readonly socket: () => SocketFaultSetup }

/** For sources that use another protocol than HTTP. */
interface SocketFaultSetup {
  /** `tcp://host:port` or `unix:/path`. */
  readonly target: string
  /** The settings, with the proxy's port on localhost instead of the back end's. */
  settingsAt(port: number): SourceSettings
}

/** For sources that use HTTP. */
export interface HttpFaultSetup {
  /**
   * The back end: `http://host:port`, `https://host:port` or `unix:/path`. A function chooses one by
   * the request, if the back end has several services.
   */
  readonly upstream: string | ((request: ProxiedRequest) => string)
  /** Changes each body, for back ends that put their own addresses into responses. */
  readonly rewrite?: (body: string, proxyUrl: string) => string
  /**
   * The settings, with the proxy's address instead of the back end's: `http://127.0.0.1:port` or
   * `https://localhost:port`. Without the back end's own `ca` and `fingerprint`: the proxy has other
   * certificates, and the kit adds the options for them.
   */
  settingsAt(url: string): SourceSettings
  /** Whether a request reads the list of servers, the first page or a later one. */
  listsServers(request: ProxiedRequest): boolean
  /** A response to such a request, without the list: not with an empty one. */
  withoutList(body: string): string
  /** A response whose total says that there are more servers than it lists. */
  readonly withWrongTotal: OrReason<(body: string) => string>
  /** How the back end reports these errors. */
  readonly errors: {
    readonly credentials: ErrorResponse
    /** A session or a token that has expired. */
    readonly expired: OrReason<ErrorResponse>
    readonly forbidden: ErrorResponse
    /** With a `Retry-After` of 1, if the API has it. */
    readonly throttled: OrReason<ErrorResponse>
  }
  /** Whether the source logs in again when its session expires. */
  readonly renewsSession: OrReason<true>
  readonly paging: OrReason<PagingSetup>
}

/** A part of the back end that has at least two pages of servers. */
export interface PagingSetup {
  /** Fills it, once. */
  prepare(): Promise<void>
  settingsAt(url: string): SourceSettings
  /** Whether a request reads a page after the first one. */
  isLaterPage(request: ProxiedRequest): boolean
  /** Creates a server in this part. */
  create(name: string): Promise<string>
  remove(id: string): Promise<void>
}
