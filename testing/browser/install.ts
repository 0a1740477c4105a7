import { execFileSync } from 'node:child_process'
import { howToGetChromium, startChromium } from './find-chromium.ts'

/** Sees to it that some Chromium starts: where none does, Debian's is installed. */
const apt = (...args: readonly string[]) =>
  execFileSync('apt-get', args, {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })

async function isThere(): Promise<boolean> {
  const server = await startChromium()
  await server?.close()
  return server !== undefined
}

if (!(await isThere())) {
  apt('update', '--quiet')
  apt('install', '--yes', '--quiet', '--no-install-recommends', 'chromium')
  if (!(await isThere())) throw new Error(`no Chromium starts here: ${howToGetChromium}`)
}
