/** Loads at the first call, for all that follow; what failed to load is tried anew by the next. */
export function loadOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | undefined
  return () => {
    if (loading) return loading
    const attempt = load()
    loading = attempt
    attempt.catch(() => {
      loading = undefined
    })
    return attempt
  }
}
