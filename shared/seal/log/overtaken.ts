/** A run that has lost the log to another one, which goes on with it: what it still had to write is not missed. */
export class Overtaken extends Error {
  constructor() {
    super('Another run has the log by now.')
  }
}
