/** What a figure covers. */
export const scope = {
  name: 'Scope:',
  hint: 'What this figure covers',
  system: 'Entire system',
  domain: (name: string) => `Domain: ${name}`,
  project: (name: string) => `Project: ${name}`,
  self: 'Only yours',
}
