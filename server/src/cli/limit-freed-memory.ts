/** How many parts of the heap threads share, and from which size on blocks go back to the system at once. */
const malloc = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
}

/**
 * Megabytes of each half of the space for new objects. By default it grows to 20, and stays so large after
 * a burst of requests. Smaller ones are collected more often, at the same cost: few objects outlive a request.
 */
const youngGeneration = '--max-semi-space-size=8'

/** Set in the new process: with some privileges the system removes the settings of malloc from it. */
const marker = 'MALLOC_SET_BY_MUSTER'

/**
 * Replaces this process by one with these settings of glibc and V8, which read them only at the start.
 * Without those of glibc, each thread keeps some 90 MB of freed memory after a large sync.
 */
export function limitFreedMemory(): void {
  const { argv, env, execArgv, execPath, platform } = process
  // Another program that has a channel to this process, such as Node's watch mode, would lose it.
  if (platform !== 'linux' || argv[2] !== 'serve' || process.connected) return
  if (marker in env || Object.keys(malloc).some((name) => name in env)) return
  const settings = { ...env, ...malloc, [marker]: '1' }
  try {
    const options = [youngGeneration, ...execArgv]
    process.execve?.(execPath, [execPath, ...options, ...argv.slice(1)], settings)
  } catch {
    // A system may forbid it, and Muster works without it.
  }
}
