import type { Bucket } from './bucket.ts'
import { LeaseHolder } from './lease-holder.ts'

const holder = new LeaseHolder()

/** Takes one unit for a request of this process. @throws ApiError `rate_limited` */
export const takeUnit = (bucket: Bucket): Promise<Record<string, string>> => holder.takeUnit(bucket)
