import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../io.ts'

function folderOf(environment: Environment, variable: string, fallback: string): string {
  const set = environment[variable]
  if (set !== undefined && set !== '') return join(set, 'muster')
  return join(environment['HOME'] ?? homedir(), fallback, 'muster')
}

export const configFolder = (environment: Environment): string =>
  folderOf(environment, 'XDG_CONFIG_HOME', '.config')

export const cacheFolder = (environment: Environment): string =>
  folderOf(environment, 'XDG_CACHE_HOME', '.cache')
