interface Toast {
  readonly id: number
  readonly text: string
}

const life = 6_000
let toasts: readonly Toast[] = []
let last = 0
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next
  for (const notify of listeners) notify()
}

export const currentToasts = (): readonly Toast[] => toasts

export const dismissToast = (id: number): void => set(toasts.filter((toast) => toast.id !== id))

export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows a short message. Errors are shown where they happen instead. */
export function showToast(text: string): void {
  last += 1
  const id = last
  set([...toasts.filter((toast) => toast.text !== text), { id, text }])
  setTimeout(() => dismissToast(id), life)
}
