interface Bar {
  readonly label: string;
  /** Its share of the longest bar decides the length; not below zero. */
  readonly value: number;
  /** The value as the reader sees it. */
  readonly text: string;
}

/** Horizontal bars with their values as text. */
export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }) {
  const longest = Math.max(...bars.map(({ value }) => value), 0);
  return (
    <ul className="bars" aria-label={label}>
      {bars.map(({ label: name, value, text }) => (
        <li key={name}>
          <span className="bar-label">{name}</span>
          <span className="bar-track" aria-hidden="true">
            <span style={{ width: longest > 0 ? `${(value / longest) * 100}%` : 0 }} />
          </span>
          <span className="bar-text">{text}</span>
        </li>
      ))}
    </ul>
  );
}
