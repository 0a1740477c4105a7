/** How many events are newer than the first that is shown. The ids of events sort by their time. */
export const countNew = (
  newest: readonly { readonly id: string }[],
  first: string | undefined,
): number => newest.filter(({ id }) => first === undefined || id > first).length
