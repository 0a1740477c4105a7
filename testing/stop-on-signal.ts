/** Stops a back end at the first signal, and ignores others until nothing of it is left. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopping ??= stop().then(() => process.exit(0))
    })
  }
}
