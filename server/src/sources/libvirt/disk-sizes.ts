import { LRUCache } from 'lru-cache'
import { naturalId } from '../../domain/sources/natural-id.ts'
import { createBoundedQueue } from '../../domain/bounded-queue.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { ifPossible, type Calls } from './calls.ts'
import type { DomainHandle, TypedParameters } from './records.ts'

/**
 * A guest that is busy does not tell the size of its disks: the last known one still holds. It outlives
 * the line that it was told over, since each scan has its own.
 */
const lastSizes = new LRUCache<string, number>({ max: 100_000 })

/** Fewer than a connection has in flight: those that hang must never be all of them. */
const maxConcurrentSizes = 3

/** Bytes, by target. */
export type DiskSizes = ReadonlyMap<string, number>

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

/** Finds the sizes of disks during one scan, or another look around. */
export function createSizeFinder(calls: Calls, daemon: readonly string[]) {
  const queue = createBoundedQueue({ name: 'disk sizes', capacity: maxConcurrentSizes })
  let isHanging = false

  /**
   * Undefined where it cannot be had now. None is asked after one that hangs: each that hangs takes a
   * place among the few calls that libvirt answers at once.
   */
  async function ask(domain: DomainHandle, target: string): Promise<number | undefined> {
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
    const told = readSizes(parameters)
    const sizes = new Map<string, number>()
    for (const target of targets) {
      const key = naturalId('disk', ...daemon, domain.uuid, target)
      const size = told.get(target) ?? (await ask(domain, target))
      if (size !== undefined) lastSizes.set(key, size)
      const known = size ?? lastSizes.get(key)
      if (known !== undefined) sizes.set(target, known)
    }
    return sizes
  }
}
export type FindSizes = ReturnType<typeof createSizeFinder>
