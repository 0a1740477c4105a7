const patience = 60_000
let lastSeen = Date.now()

for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  addEventListener(event, () => (lastSeen = Date.now()), { capture: true, passive: true })
}

/** Whether nobody has touched the page for a while. */
export const isUserIdle = (): boolean => Date.now() - lastSeen > patience
