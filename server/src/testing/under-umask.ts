/** The umask belongs to the process, and a child inherits it. */
export function underUmask<Result>(umask: number, work: () => Result): Result {
  const usual = process.umask(umask)
  try {
    return work()
  } finally {
    process.umask(usual)
  }
}
