/** The versions of the platform, by number or by name. */
export const platformVersions = ['1.4.4', 'recorded', '1.4.5', 'next'] as const;
