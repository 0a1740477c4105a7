import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const children = new Set<ChildProcess>()

// A failed benchmark must not leave a server running that would disturb the next one.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Stops the child when this process exits. */
export function trackChild<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGINT')
  await once(child, 'exit')
}

/** Stops all processes that a failed benchmark left running. */
export async function stopAllChildren(): Promise<void> {
  await Promise.all([...children].map(stopChild))
}
