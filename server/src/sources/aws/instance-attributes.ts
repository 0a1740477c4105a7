import { SourceError } from '../../domain/sources/source-error.ts'
import { createAccountMemories } from '../shared/account-memory.ts'
import { forEachLimited } from '../shared/for-each-limited.ts'
import type { RegionClient } from './region-client.ts'
import { UnknownInstance } from './response-error.ts'

/** Attributes that EC2 returns for one instance per request only. */
interface InstanceAttributes {
  readonly disable_delete: boolean
  readonly shutdown_behavior: string
}

/** By region and id, the one that was read longest ago first. */
export type AttributeMemory = Map<string, Map<string, InstanceAttributes>>

/** Shared between scans, so that facts do not come and go. */
export const acquireAttributes = createAccountMemories((): AttributeMemory => new Map())

/** How many instances of a page of a scan are looked up: two requests each, beside ten for the page. */
const maxPerPage = 10
const maxAtOnce = 4

export interface AttributeReader {
  /** Reads these instances, all of them or those of a page that were read longest ago. */
  load(ids: readonly string[], isScan: boolean, signal: AbortSignal): Promise<void>
  get(id: string | undefined): InstanceAttributes | undefined
  /** Forgets all other instances. */
  retain(ids: ReadonlySet<string>): void
  /** Why attributes could not be read. A key may lack the permission: it is optional. */
  readonly failure: SourceError | undefined
}

/** Reads attributes until EC2 denies them or asks for fewer requests. */
export function createAttributeReader(
  { region, call }: RegionClient,
  memory: AttributeMemory,
): AttributeReader {
  const known = memory.get(region) ?? new Map<string, InstanceAttributes>()
  memory.set(region, known)
  let failure: SourceError | undefined

  async function read(id: string, signal: AbortSignal): Promise<void> {
    const attributeOf = (
      Attribute: 'disableApiTermination' | 'instanceInitiatedShutdownBehavior',
    ) =>
      call(
        (ec2, options) => ec2.describeInstanceAttribute({ InstanceId: id, Attribute }, options),
        signal,
      )
    const { DisableApiTermination } = await attributeOf('disableApiTermination')
    const { InstanceInitiatedShutdownBehavior } = await attributeOf(
      'instanceInitiatedShutdownBehavior',
    )
    known.delete(id)
    known.set(id, {
      disable_delete: DisableApiTermination?.Value ?? false,
      shutdown_behavior: InstanceInitiatedShutdownBehavior?.Value ?? '',
    })
  }

  return {
    async load(ids, isScan, signal) {
      const order = new Map([...known.keys()].map((id, index) => [id, index]))
      const age = (id: string) => order.get(id) ?? -1
      const oldest = ids.toSorted((one, other) => age(one) - age(other))
      await forEachLimited(isScan ? oldest.slice(0, maxPerPage) : ids, maxAtOnce, async (id) => {
        if (failure) return
        try {
          await read(id, signal)
        } catch (error) {
          if (signal.aborted || !(error instanceof SourceError)) throw error
          if (error instanceof UnknownInstance) return
          const isOptional = error.kind === 'forbidden' || error.kind === 'throttled'
          // Servers can be read without attributes, but a failure must not look like their absence.
          if (!isScan && !isOptional && !known.has(id)) throw error
          failure = error
        }
      })
    },
    get: (id) => known.get(id ?? ''),
    retain(ids) {
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id)
    },
    get failure() {
      return failure
    },
  }
}
