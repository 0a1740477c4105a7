import { defaultDataDir, type Config } from '../config/read-config.ts'
import { readDemoRecord } from '../storage/sqlite/read-demo-record.ts'

/**
 * Finds a demo that an earlier version wrote into the default data directory. Returns how
 * to remove it, or an empty text.
 */
export async function findLeftoverDemo({ demo, dataDir }: Config): Promise<string> {
  const folder = demo ? defaultDataDir : dataDir
  // This is the requested demo.
  if (demo && folder === dataDir) return ''
  const note = await readDemoRecord(folder)
  if (!note) return ''
  const size = note.servers.toLocaleString('en-US')
  const path = `'${folder.replaceAll("'", String.raw`'\''`)}'`
  return [
    `${folder} holds a demo of ${size} servers. To remove it:`,
    '',
    `  muster admin demo remove --data-dir ${path}`,
    '',
    '',
  ].join('\n')
}
