/** Stops a back end at the first signal, and ignores further signals until it has stopped. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stopping ??= stop().then(() => process.exit(0))
    })
  }
}
