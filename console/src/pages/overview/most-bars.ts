/** How many bars a chart has before the rest is one. */
export const mostBars = 8
