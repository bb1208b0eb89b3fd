import type { DescMessage } from '@bufbuild/protobuf'
import { ContactMessageSchema, QuoteRequestSchema } from '../gen/leadintake/v1/lead_pb.ts'

/**
 * The versions of what callers may send, the oldest first: the message whose rules judge each kind of lead. A version is a
 * folder of `proto/leadintake/` and a row here. Its path, its part of OpenAPI, its entry in the API catalog and its metrics
 * follow from the row.
 */
export const versions = {
  v1: { quote: QuoteRequestSchema, support: ContactMessageSchema },
} as const satisfies Record<`v${number}`, { quote: DescMessage; support: DescMessage }>

export type Version = keyof typeof versions

export const versionNames = Object.keys(versions) as readonly Version[]

/** Makes one thing for each version. */
export function byVersion<T>(make: (version: Version) => T): Readonly<Record<Version, T>> {
  return Object.fromEntries(versionNames.map((version): [Version, T] => [version, make(version)])) as Record<Version, T>
}

/** The version that pages, samples and hints tell callers to use. */
export const currentVersion: Version = 'v1'

/** The version that internal callers send, and in which the inbox shows every lead. */
export const internalVersion = 'v1' satisfies Version
