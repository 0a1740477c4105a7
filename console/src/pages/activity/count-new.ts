/** How many events are newer than the first one shown. Event IDs sort by time. */
export const countNew = (
  newest: readonly { readonly id: string }[],
  first: string | undefined,
): number => newest.filter(({ id }) => first === undefined || id > first).length
