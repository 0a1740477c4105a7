export const checks = {
  title: 'Checks',
  lead: 'A check is a query that should match nothing. Muster evaluates checks every minute.',
  column: {
    name: 'Check',
    severity: 'Severity',
    violations: 'Violations',
    scope: 'Servers of',
    enabled: 'Evaluated',
    evaluated: 'Last evaluated',
    server: 'Name',
    endOfSupport: 'End of support',
    since: 'Since',
    until: 'Until',
  },
  scopes: { system: 'the entire system', domain: 'a domain', project: 'a project' },
  on: 'Yes',
  off: 'Switched off',
  switchOn: 'Switch on',
  switchOff: 'Switch off',
  switchedOn: (name: string) => `${name} is switched on. It is evaluated within a minute.`,
  switchedOff: (name: string) => `${name} is switched off. Its violations have ended.`,
  notEvaluated: 'not yet',
  failed: 'The last evaluation failed:',
  none: 'No checks',
  noneText: 'There is no check that you can see.',
  open: 'Open',
  ended: 'Ended',
  parts: 'Violations',
  showServers: 'Show servers',
  grace: (span: string) => `A violation counts after ${span}.`,
  noViolations: 'No open violations',
  noEnded: 'No violation has ended in the recorded time',
  notAllowed: 'You do not have access to checks here',
  /** The API has their English texts. */
  builtIn: [] as readonly {
    readonly english: string
    readonly name: string
    readonly description: string
  }[],
}
