const mebibyte = 2 ** 20
const prefixes = ' KMGTPE'

/** Bytes of a unit such as `MB` or `MiB`; 0 if it is unknown. */
function factorOf(unit: string): number {
  const [, prefix = ' ', binary = ''] = /^(?:([kKMGTPE])(i?))?B?$/.exec(unit) ?? ['', '?']
  const exponent = prefixes.indexOf(prefix.toUpperCase())
  return exponent < 0 ? 0 : (binary === 'i' ? 1_024 : 1_000) ** exponent
}

/** Bytes of a text such as `2GiB`, `512MB` or `1024`; 0 if it is none. */
export function bytesOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+)\s*(\D*)$/.exec(text.trim()) ?? []
  return Math.round(Number(number) * factorOf(unit))
}

/** A size in bytes as MB of the API, which are mebibytes. */
export const toMebibytes = (bytes: number): number => Math.ceil(bytes / mebibyte)

/** The CPUs of `limits.cpu`: a number, or a set such as `0-3,7`. Containers without a limit use all. */
export function countCpus(limit: string, isVirtualMachine: boolean, ofHost: number): number {
  if (limit === '') return isVirtualMachine ? 1 : ofHost
  if (/^\d+$/.test(limit)) return Number(limit)
  const cpus = new Set<number>()
  for (const part of limit.split(',')) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? []
    // No host has more CPUs. A larger range is a mistake that must not fill the memory.
    const end = Math.min(Number(last), 8_191)
    for (let cpu = Number(first ?? 1); cpu <= end; cpu += 1) cpus.add(cpu)
  }
  return cpus.size
}

const defaultOfVirtualMachine = '1GiB'

/** MB of `limits.memory`: a size, or a part of the host's memory. Containers without a limit use all. */
export function memoryOf(limit: string, isVirtualMachine: boolean, ofHost: number): number {
  const percentage = /^(\d+)%$/.exec(limit)?.[1]
  if (percentage !== undefined) return toMebibytes((ofHost * Number(percentage)) / 100)
  if (limit !== '') return toMebibytes(bytesOf(limit))
  return toMebibytes(isVirtualMachine ? bytesOf(defaultOfVirtualMachine) : ofHost)
}
