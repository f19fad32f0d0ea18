/** The alias of a function that leads to its version in force: everything that invokes one does so by it. */
export const liveAlias = 'live'
