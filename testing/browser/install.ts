import { installPackages } from '../debian.ts'
import { howToGetChromium, startChromium } from './find-chromium.ts'

async function isThere(): Promise<boolean> {
  const server = await startChromium()
  await server?.close()
  return server !== undefined
}

/** Makes sure that a Chromium starts: installs the one of Debian if none does. */
if (!(await isThere())) {
  installPackages('chromium')
  if (!(await isThere())) throw new Error(`no Chromium starts here: ${howToGetChromium}`)
}
