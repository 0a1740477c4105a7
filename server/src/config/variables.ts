import { didYouMean } from '../domain/nearest.ts'
import { printable, spellings } from './spellings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Whether Kubernetes sets this variable in every pod beside a Service named "muster". */
const isServiceLink = (name: string, text = '') =>
  /^MUSTER_(?:SERVICE_(?:HOST|PORT)|PORT_\d+_[A-Z]+)(?:_|$)/.test(name) ||
  (name === 'MUSTER_PORT' && text.startsWith('tcp://'))

export const withoutServiceLinks = (environment: Environment): Environment =>
  Object.fromEntries(
    Object.entries(environment).filter(([name, text]) => !isServiceLink(name, text)),
  )

/** Problems with the names of the variables that start with `MUSTER_`. */
export function checkVariables(environment: Environment): string[] {
  const known = new Set(spellings.map(({ variable }) => variable))
  const links = Object.keys(environment).filter((name) => isServiceLink(name, environment[name]))
  const unknown = Object.keys(withoutServiceLinks(environment))
    .filter((name) => name.startsWith('MUSTER_') && !known.has(name))
    .map((name) => `unknown variable ${printable(name)}${didYouMean(name, known)} (see --help)`)
  if (links.length === 0) return unknown
  const link = printable(links.find((name) => name === 'MUSTER_PORT') ?? links[0] ?? '')
  return [
    `${link} is set by Kubernetes, because a Service is named muster: set enableServiceLinks: false in the pod, or give the Service another name`,
    ...unknown,
  ]
}
