import { ProviderFault } from '../../provider-fault.ts'

/** A snapshot holds at most so many (I4.7(4)). Tests make them smaller. */
export const bounds = { users: 500_000, memberships: 5_000_000 }

export const tooMany = (noun: keyof typeof bounds): ProviderFault =>
  new ProviderFault('fatal', `The directory has more than ${bounds[noun].toLocaleString('en')} ${noun}.`)
