import { setTimeout as pause } from 'node:timers/promises'

const longest = 100

/** Waits a moment, each time longer and by chance, so that those who write the same thing get past each other. */
export const giveWay = (attempt: number): Promise<void> =>
  pause(Math.random() * Math.min(longest, 2 ** attempt))
