/** Characters that are invisible or reorder the text. */
const invisible = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/** Formatted JSON with invisible characters escaped. */
export const prettyJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(
    invisible,
    (character) => String.raw`\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
