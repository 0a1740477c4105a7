import type { SourceAction } from '../../server/src/domain/sources/action-port.ts'

/** A request to the back end, as the matrix tells requests apart. */
export interface Call {
  /** As the source names it, with the region or service if there are several. */
  readonly name: string
  readonly changes: boolean
  /** The region or service that answers it, if there are several. */
  readonly place?: string
  /** Sent from time to time, whatever is done. It gets the fault of other requests of its name. */
  readonly isHeartbeat?: boolean
  /** Releases something at the source, or waits for events: scans are complete without it. */
  readonly isOptional?: boolean
  /** Equal for two requests that ask for the same. */
  readonly content: string
}

/** A request that passed the proxy, and what became of it. */
export interface Exchange {
  readonly call: Call
  readonly isDelivered: boolean
  /** The status that Muster got, if it got any. */
  readonly status: number | undefined
}

/** What happens to single responses. A number is a status; a list is cut to a part of it. */
export type ResponseFault =
  | 'reset'
  | 'lost'
  | 'hang'
  | 'cut'
  | 'garbage'
  | number
  | { readonly keep: 'none' | 'half' }
  /** Passes it on, and records the number of items in its list. */
  | { readonly onList: (call: Call, items: number) => void }

/** The proxy between Muster and the back end. */
export interface FaultPort {
  readonly exchanges: () => readonly Exchange[]
  /** Called with each request before it is passed on. */
  onCall: ((call: Call) => void) | undefined
  inject(fault: ResponseFault, matches: (call: Call) => boolean): void
  /** New connections are refused; open ones stay. */
  refuse(): void
  /** Breaks all connections. */
  cut(): void
  /** Everything passes again. */
  heal(): void
}

export interface SourceServer {
  readonly name: string
  /** As Muster names them. */
  readonly status: string
  readonly size: string
}

export type InitialStatus = 'running' | 'ready' | 'suspend'

/** A back end with a proxy in front of it. All ids are the `external_id` of a server. */
export interface FaultyBackEnd {
  readonly port: FaultPort
  /** What an account needs, with the proxy's address. */
  readonly account: object
  readonly actions: readonly SourceAction[]
  /** The parameters of `change-config`. The size differs from that of a new server. */
  readonly otherSize: Readonly<Record<string, unknown>>
  /** The status before an action, where it differs from that of other back ends. */
  readonly startsFrom?: Partial<Record<SourceAction, InitialStatus>>
  /** Parameters of actions, beside the size. */
  readonly parameters?: Partial<Record<SourceAction, object>>
  /** Fields beside the name that an update can change, if any. */
  readonly otherFields?: object
  /** Creates a running server in another region, if there is one. */
  readonly createElsewhere?: (name: string) => Promise<string>
  /** Running servers with a disk that can be deleted with them, and whether the disk of one is still there. */
  readonly disks?: {
    create(name: string): Promise<string>
    exists?(id: string): Promise<boolean>
  }
  /** Guests do not react to a shutdown: on the way into the recycle bin each would take a minute. */
  readonly ignoresShutdown?: true
  /** Whether a request that takes all servers into a list answers with it. */
  isServerList(call: Call): boolean
  create(name: string, status: InitialStatus): Promise<string>
  remove(id: string): Promise<void>
  /** Renames a server, one that is not in this region if there are regions. */
  renameOther(name: string, place?: string): Promise<string>
  servers(): Promise<ReadonlyMap<string, SourceServer>>
  /** Ends the back end and starts it again. Absent for one that forgets its servers. */
  readonly restart?: () => Promise<void>
  stop(): Promise<void>
}
