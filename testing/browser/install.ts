import { installPackages } from '../debian.ts'
import { howToGetChromium, startChromium } from './find-chromium.ts'

async function isThere(): Promise<boolean> {
  const server = await startChromium()
  await server?.close()
  return server !== undefined
}

/** Sees to it that some Chromium starts: where none does, Debian's is installed. */
if (!(await isThere())) {
  installPackages('chromium')
  if (!(await isThere())) throw new Error(`no Chromium starts here: ${howToGetChromium}`)
}
