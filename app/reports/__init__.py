"""What the commands print: text for people, records for machines."""
