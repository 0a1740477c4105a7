/** Loads at the first call and caches the result. After a failure the next call tries again. */
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
