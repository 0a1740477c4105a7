/** What would reorder or hide text around it, or is not to be seen at all. */
const invisible = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** JSON to read: the same value, with every character in sight. */
export const prettyJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    invisible,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
