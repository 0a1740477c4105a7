import { LRUCache } from 'lru-cache'
import { derivedId } from '../../domain/sources/derived-id.ts'
import { createBoundedQueue } from '../../domain/bounded-queue.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { Calls } from './calls.ts'
import { ifPossible } from './tolerated-errors.ts'
import type { DomainHandle, TypedParameters } from './records.ts'

/** The last known sizes, because a busy guest does not report them. They outlive the connection. */
const lastSizes = new LRUCache<string, number>({ max: 100_000 })

/** Fewer than the calls of a connection, so that hanging ones never block all of them. */
export const maxConcurrentSizes = 3

interface DiskSizes {
  /** Bytes by target device. */
  readonly capacities: ReadonlyMap<string, number>
  /** Whether one is missing because a call hangs. */
  readonly isSizeUnread: boolean
}

function readSizes(parameters: TypedParameters): Map<string, number> {
  const sizes = new Map<string, number>()
  const count = Number(parameters.get('block.count') ?? 0)
  for (let index = 0; index < count; index += 1) {
    const name = parameters.get(`block.${index}.name`)
    const size = parameters.get(`block.${index}.capacity`)
    if (typeof name === 'string' && typeof size === 'number') sizes.set(name, size)
  }
  return sizes
}

/** Finds the sizes of disks during one scan or refresh. */
export function createSizeFinder(calls: Calls, daemon: readonly string[]) {
  const queue = createBoundedQueue({ name: 'disk sizes', capacity: maxConcurrentSizes })
  let isHanging = false

  /**
   * Undefined if the size is not available. After one call hangs, no other is made: each hanging
   * call occupies one of the few that libvirt handles concurrently.
   */
  async function callSize(domain: DomainHandle, target: string): Promise<number | undefined> {
    const release = await queue.acquire()
    try {
      return isHanging ? undefined : await ifPossible(calls.blockCapacity(domain, target))
    } catch (error) {
      const isLate = error instanceof SourceError && error.kind === 'timeout'
      if (!isLate || !calls.canContinue()) throw error
      isHanging = true
      return undefined
    } finally {
      release()
    }
  }

  return async function findSizes(
    domain: DomainHandle,
    parameters: TypedParameters,
    targets: readonly string[],
  ): Promise<DiskSizes> {
    const reported = readSizes(parameters)
    const sizes = new Map<string, number>()
    for (const target of targets) {
      const key = derivedId('disk', ...daemon, domain.uuid, target)
      const size = reported.get(target) ?? (await callSize(domain, target))
      if (size !== undefined) lastSizes.set(key, size)
      const known = size ?? lastSizes.get(key)
      if (known !== undefined) sizes.set(target, known)
    }
    return { capacities: sizes, isSizeUnread: isHanging && sizes.size < targets.length }
  }
}
export type FindSizes = ReturnType<typeof createSizeFinder>
