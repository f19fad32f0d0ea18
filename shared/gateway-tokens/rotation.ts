/** How long a rotated gateway token stays valid unless its replacement is used before (A22): 4 hours. */
export const rotationGraceMicros = 4 * 3_600_000_000
