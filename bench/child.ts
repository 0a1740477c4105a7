import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

const children = new Set<ChildProcess>()

// A figure that fails must not leave a server behind, to be measured together with the next.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Lets a process end with this one at the latest. */
export function adopt<Child extends ChildProcess>(child: Child): Child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGINT')
  await once(child, 'exit')
}

/** Ends all that is left of a figure that failed. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map(end))
}
