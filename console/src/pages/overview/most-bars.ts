/** The maximum number of bars; other values are summed up in one. */
export const mostBars = 8
