import type { ServerReference, SourceContext, SourceRights, SourceSettings } from './source.ts'

/** The actions for which a source is needed. The names are those of the API. */
export const sourceActions = [
  'start',
  'stop',
  'restart',
  'reset',
  'suspend',
  'resume',
  'change-config',
  'update',
  'delete',
] as const
export type SourceAction = (typeof sourceActions)[number]

/** The changed fields of a server's size. */
export interface ServerSize {
  readonly vcpu_count?: number
  /** In MB. */
  readonly vmem_size?: number
  readonly instance_type?: string
}

/** The changed fields that the source stores. */
export interface ServerUpdate {
  readonly name?: string
  readonly shutdown_behavior?: string
  readonly boot_order?: string
  /** The source's own protection against deletion, such as EC2's termination protection. */
  readonly disable_delete?: boolean
}

/** One request to a source. An action of the API can take several, and Muster reads the server after each. */
export type SourceCall =
  | { readonly kind: 'start' }
  /** Asks the guest to shut down within these seconds, or switches it off. */
  | { readonly kind: 'stop'; readonly isForced: boolean; readonly seconds?: number }
  /** Only if `restarts` is true. Otherwise Muster stops and starts the server. */
  | { readonly kind: 'restart'; readonly isForced: boolean }
  | { readonly kind: 'reset'; readonly isHard: boolean }
  | { readonly kind: 'suspend' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'resize'; readonly size: ServerSize }
  /** Only if `confirmedStatus` is set. */
  | { readonly kind: 'confirm-resize' }
  | { readonly kind: 'update'; readonly changes: ServerUpdate }
  | { readonly kind: 'delete'; readonly disks: boolean; readonly snapshots: boolean }

export type ActionErrorKind =
  /** The server is busy, or in a state in which the source refuses the request. */
  | 'conflict'
  /** The source does not have the server. */
  | 'not-found'
  /** The source cannot do it with this server. */
  | 'unsupported'
  /** The credentials lack a permission. */
  | 'denied'
  /** A quota or the capacity of the source is exceeded. */
  | 'quota'
  /** The source refused it, or failed, for another reason. */
  | 'failed'
  /** The request may have been carried out: no response, or none that can be interpreted. */
  | 'outcome-unknown'

/** An error of a request that changes a server. Its message is for the user and never contains a secret. */
export class ActionError extends Error {
  readonly kind: ActionErrorKind
  /** The source said that it did nothing and may do it later: 401, busy or 429. Only then is it sent again. */
  readonly mayRetry: boolean
  /** Whether the message contains the source's answer. */
  readonly isAnswer: boolean

  constructor(
    kind: ActionErrorKind,
    message: string,
    options?: {
      readonly cause?: unknown
      readonly mayRetry?: boolean
      readonly isAnswer?: boolean
    },
  ) {
    super(message, options)
    this.name = 'ActionError'
    this.kind = kind
    this.mayRetry = options?.mayRetry ?? false
    this.isAnswer = options?.isAnswer ?? true
  }
}

/**
 * One changing request of a call, as it is stored before it is sent. A call can take several: the preparation
 * of a volume, or one request for each field.
 */
export interface SourceRequest {
  /** The name at the source, such as `StopInstances`. */
  readonly name: string
  /** What the request changes, by the id of the source, such as `vol-1`; absent for the server itself. */
  readonly target?: string
  /** What the adapter needs to send it. */
  readonly data?: Readonly<Record<string, string | number | boolean>>
}

/**
 * Whether a request was carried out; undefined if only the report of the server may show it. `working`: the source
 * works on it. `idle`: as undefined, and the source does not work on it. An error: it has failed.
 */
export type RequestState = boolean | 'working' | 'idle' | ActionError | undefined

/** A connection that may change servers. */
export interface ServerActor {
  /** The requests that are left for a call, from the state that the source shows now. It only reads. */
  plan(
    call: SourceCall,
    reference: ServerReference,
    signal: AbortSignal,
  ): Promise<readonly SourceRequest[]>
  /**
   * Sends one request, once: no retries. Resolves when the source has accepted it; Muster then reads the
   * server until it shows the result. `working`: at the end of the signal the source showed that it works on
   * it. `pending`: it has received it and still answers other requests. A request to which the source has no answer within the signal is `outcome-unknown`. Errors are `ActionError`, or `SourceError` if nothing was sent: the
   * connection or the login failed.
   */
  send(
    request: SourceRequest,
    reference: ServerReference,
    signal: AbortSignal,
  ): Promise<void | 'working' | 'pending'>
  /**
   * Reads the state of a request without an answer, or of one that the source is working on. It only reads.
   */
  check?(
    request: SourceRequest,
    reference: ServerReference,
    signal: AbortSignal,
  ): Promise<RequestState>
  /** Whether the credentials allow each action, if the source tells without acting. */
  allowed?(signal: AbortSignal): Promise<Partial<Record<SourceAction, boolean>>>
  close(): Promise<void>
}

/** What a kind of source can do with servers, and how to open the connection for it. */
export interface ActionSupport {
  readonly actions: readonly SourceAction[]
  /** Whether the source restarts a server by itself. Then a restart is one request. */
  readonly restarts?: boolean
  /**
   * Whether a stop switches the server off if the guest does not shut down. Then a forced stop is one
   * request.
   */
  readonly switchesOff?: boolean
  /** The fields of a size that the source can change, and whether a running server can be resized. */
  readonly resize?: {
    readonly fields: readonly (keyof ServerSize)[]
    readonly isLive: boolean
    /** The status in which a resized server waits for `confirm-resize`. */
    readonly confirmedStatus?: string
  }
  /** The fields that `update` can change at the source. */
  readonly updates?: readonly (keyof ServerUpdate)[]
  /**
   * Whether disks and snapshots can be deleted with the server, and whether a running server can be
   * deleted. Otherwise Muster switches it off first.
   */
  readonly deletes?: {
    readonly disks: boolean
    readonly snapshots: boolean
    readonly running?: boolean
  }
  /** The least permissions for acting, in addition to those for reading. */
  readonly rights: readonly SourceRights[]
  /** Opened for the actions of one server. It shares nothing with connections that read. */
  open(settings: SourceSettings, context: SourceContext, signal: AbortSignal): Promise<ServerActor>
}
