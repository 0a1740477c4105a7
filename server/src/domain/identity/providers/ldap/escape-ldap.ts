const hex = (character: string): string =>
  `\\${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Text as a value in a filter (RFC 4515). */
export const escapeFilter = (text: string): string => text.replaceAll(/[\0()*\\]/g, hex)

/** Text as a value in a distinguished name (RFC 4514). */
export const escapeName = (text: string): string => text.replaceAll(/[\0"+,;<=>\\]|^[ #]| $/g, hex)

/** Fills in what a template has in braces, each value escaped. */
export const fillTemplate = (
  template: string,
  values: Readonly<Record<string, string>>,
  escape: (text: string) => string,
): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    values[name] === undefined ? whole : escape(values[name]),
  )
