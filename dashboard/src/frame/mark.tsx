/** The mark of the service: one source, several stores. */
export function Mark({ size = 28 }: { readonly size?: number }) {
  return (
    <svg className="mark" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M6 16h7m0 0c5 0 4-7 9-7h4m-13 7c5 0 4 7 9 7h4m-13-7h13" />
    </svg>
  );
}
